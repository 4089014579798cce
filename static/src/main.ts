/** The site's own pages. */
import "./style/fonts.css";
import "./style/tokens.css";
import "./page/page.css";
import "./page/reference.css";
import "./page/lessons.css";
import "./page/theme";
import "./element/elements";
import "./element/define";

// What only some pages have is loaded where it is there.
if (document.querySelector("body.embed")) void import("./page/embed");
if (document.querySelector("article[data-lesson]")) void import("./page/lesson");
if (document.querySelector("backplay-progress, backplay-answers")) void import("./page/progress");
