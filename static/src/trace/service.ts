import type { Trace } from "./types";

/** Why no trace came back, in words for the person: from the service's problem document, or from the network. */
export class ServiceProblem extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
  ) {
    super(detail ? `${title}: ${detail}` : title);
  }
}

const KNOWN_SCHEMA = 1;

/** Runs a snippet. Throws `ServiceProblem`. */
export async function runSnippet(url: string, code: string, signal?: AbortSignal): Promise<Trace> {
  return fetchTrace(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ code }),
    ...(signal ? { signal } : {}),
  });
}

/** Fetches a stored trace. Throws `ServiceProblem`. */
export async function fetchTrace(url: string, init: RequestInit = {}): Promise<Trace> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServiceProblem("The service did not answer", "Check the connection, then press Run again.");
  }
  if (!response.ok) throw await problemOf(response);
  const trace = (await response.json()) as Trace;
  if (trace.schema !== KNOWN_SCHEMA) {
    throw new ServiceProblem(
      "This page is out of date",
      `It reads trace schema ${KNOWN_SCHEMA}; the service sent ${trace.schema}. Reload the page.`,
    );
  }
  return trace;
}

async function problemOf(response: Response): Promise<ServiceProblem> {
  const title = `The service answered ${response.status}`;
  // A document of the service's own says when to try again; what stands before it, in a header at most.
  const seconds = Number(response.headers.get("Retry-After"));
  if (!(response.headers.get("Content-Type") ?? "").includes("json"))
    return new ServiceProblem(title, seconds > 0 ? `Try again in ${seconds} s.` : response.statusText);
  const body = (await response.json()) as { title?: unknown; detail?: unknown };
  const words = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);
  return new ServiceProblem(words(body.title, title), words(body.detail, ""));
}
