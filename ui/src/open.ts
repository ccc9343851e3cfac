import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/tables.css";
import "./styles/sidebar.css";
import "./styles/last-list.css";
import { drawLastList } from "./last-list/draw";

declare global {
  interface Window {
    /** The list as the person left it; set by the desktop before the page is read. */
    readonly loopdeckLastList?: unknown;
  }
}

const loadWindow = () => void import("./main");

if (drawLastList(document, window.loopdeckLastList)) {
  requestAnimationFrame(() => {
    // For measurements.
    performance.mark("last-list");
    // After this frame is on screen, load the window's code.
    setTimeout(loadWindow);
  });
} else loadWindow();
