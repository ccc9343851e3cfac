import { cleanup, configure } from "@testing-library/svelte";
import { afterEach, beforeEach } from "vitest";
import { keepComposing } from "../src/state/composition";
import { language } from "../src/words/language.svelte";
import "./catalogues";

// A busy machine is slow, not wrong: waiting ends with the event, never with the clock.
configure({ asyncUtilTimeout: 60_000 });

// As main.ts does.
keepComposing(window);

// Sentences with dates and times are compared as one region writes them.
Object.defineProperty(navigator, "languages", { value: ["en-GB"], configurable: true });

beforeEach(() => {
  language.id = "en";
  // happy-dom answers no media query; light without preferences is the ground state.
  window.matchMedia = (media: string) =>
    Object.assign(new EventTarget(), { matches: false, media, onchange: null }) as unknown as MediaQueryList;
});

afterEach(() => cleanup());
