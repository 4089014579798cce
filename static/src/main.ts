/** The site's own pages. */
import "./style/fonts.css";
import "./style/tokens.css";
import "./page/embed";
import "./page/page.css";
import "./page/reference.css";
import "./page/lessons.css";
import "./page/theme";
import "./page/progress";
import "./page/try";
import "./panels/question";
import "./element/elements";
import "./element/define";
// Last: it joins what the others define.
import "./page/lesson";
