import { Player } from "./player";

customElements.define("backplay-player", Player);
