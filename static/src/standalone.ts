/** `<backplay-player>` for other sites' pages: it brings its looks along and leaves the page around it alone. */
import "./element/elements";
import { Guest } from "./element/guest";
import fonts from "./style/fonts.css?url";

/** Faces are only taken from the page itself, not from inside an element; and at once, to be there before the trace is. */
function addFonts(): void {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.crossOrigin = "anonymous";
  link.href = new URL(fonts, import.meta.url).href;
  link.addEventListener("load", () => {
    const own = [...(link.sheet?.cssRules ?? [])].flatMap((rule) =>
      rule instanceof CSSFontFaceRule ? [rule.style.getPropertyValue("font-family")] : [],
    );
    for (const face of document.fonts) if (own.includes(face.family)) void face.load();
  });
  document.head.append(link);
}

// A page may name this file twice, or show a player of its own already.
if (!customElements.get("backplay-player")) {
  addFonts();
  customElements.define("backplay-player", Guest);
}
