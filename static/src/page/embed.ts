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

if (window.parent !== window && document.body.classList.contains("embed")) tellSize();
