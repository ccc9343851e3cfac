import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/tables.css";
import App from "./App.svelte";
import { chooseHost } from "./host/choose";

const target = document.getElementById("app");
if (target) mount(App, { target, props: { host: await chooseHost() } });
