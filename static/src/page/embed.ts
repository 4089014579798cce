export {};

/**
 * Tells the page around an embedded player how high it is: `{ type: "backplay-size", height }`, in CSS pixels. Nothing
 * else leaves the frame, so any page may hear it.
 */
function tellSize(): void {
  const observer = new ResizeObserver(() => {
    window.parent.postMessage({ type: "backplay-size", height: Math.ceil(document.body.scrollHeight) }, "*");
  });
  observer.observe(document.body);
}

if (window.parent !== window) tellSize();

// The way to the site leads to what is seen here: the same code, at the same step.
const way = document.querySelector<HTMLAnchorElement>(".from a");
way?.addEventListener("click", () => {
  way.hash = location.hash;
});
