/** The elements that the player is made of, all but the rare ones. */
import "../drawing/stage";
import "../panels/code";
import "../panels/controls";
import "../panels/narration";
import "../panels/output";
import "../panels/problem";
import "../panels/tabs";
import "../panels/variables";
