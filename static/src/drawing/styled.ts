import { type ElementPart, noChange } from "lit";
import { Directive, directive } from "lit/directive.js";

/** Sets style properties through the DOM: a style attribute would be refused by the page's content security policy. */
class Styled extends Directive {
  private last: Readonly<Record<string, string>> = {};

  render(_styles: Readonly<Record<string, string>>): unknown {
    return noChange;
  }

  override update(part: ElementPart, [styles]: [Readonly<Record<string, string>>]): unknown {
    const { style } = part.element as HTMLElement | SVGElement;
    for (const [name, value] of Object.entries(styles)) if (this.last[name] !== value) style.setProperty(name, value);
    this.last = styles;
    return noChange;
  }
}

/** Used on an element, not in an attribute: `<span ${styled({ left: "4px" })}>`. */
export const styled = directive(Styled);
