import type { Address } from "./address";

/**
 * Puts the code beside the step into the address, so that it can be passed on, with the code that it is compared with if
 * there is any, and says what was done.
 */
export async function shareLink(address: Address, code: string, beside: string | null): Promise<string> {
  await address.setCode(code, beside);
  try {
    await navigator.clipboard.writeText(location.href);
    return "Copied: a link to this code at this step.";
  } catch (error) {
    // Without the clipboard (an insecure page, a refusal) the address bar still has it.
    if (error instanceof DOMException || error instanceof TypeError)
      return "The address of this page now holds this code and this step.";
    throw error;
  }
}
