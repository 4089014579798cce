/** Code in an address: deflated, then base64 in the alphabet that addresses leave alone (RFC 4648, section 5). */

/** `code` is what plays; `with` is what it is compared to. */
export type Place = "code" | "with";

export async function codeFromHash(hash: string, place: Place = "code"): Promise<string | null> {
  const packed = new URLSearchParams(hash.replace(/^#/, "")).get(place);
  if (!packed) return null;
  try {
    return await unpack(packed);
  } catch (error) {
    // A link that was cut off on its way is no reason to show nothing. What is thrown for it differs between browsers.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** The same hash with the code in it; null takes it out. Other keys stay. */
export async function hashWithCode(hash: string, code: string | null, place: Place = "code"): Promise<string> {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  if (code === null) parameters.delete(place);
  else parameters.set(place, await pack(code));
  return `#${parameters}`;
}

async function pack(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

async function unpack(packed: string): Promise<string> {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
