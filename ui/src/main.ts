import { mount } from "svelte";
import App from "./App.svelte";
import { chooseHost } from "./host/choose";
import type { Host } from "./host/host";
import { keepComposing } from "./state/composition";
import { chosenLanguage, language } from "./words/language.svelte";

/** Before the first paint, so that no window begins in English and turns into another language. */
async function showLanguage(host: Host): Promise<void> {
  // The window itself says what is wrong with a host that does not answer.
  const chosen = await host.startup().then(
    ({ settings }) => settings.language,
    () => undefined,
  );
  await language.show(chosenLanguage(chosen)).catch(() => undefined);
}

// Before any other part of the page hears a key.
keepComposing(window);
const target = document.getElementById("app");
if (target) {
  const host = await chooseHost();
  await showLanguage(host);
  mount(App, { target, props: { host } });
}
