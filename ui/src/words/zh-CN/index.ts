import type { en } from "../en";
import type { Translated } from "../message";
import * as controls from "./controls";
import * as detail from "./detail";
import * as facts from "./facts";
import * as list from "./list";
import * as past from "./past";
import * as problems from "./problems";
import * as status from "./status";
import * as steps from "./steps";
import * as units from "./units";
import * as documents from "./documents";
import * as timeline from "./timeline";

export const zhCN = {
  ...status,
  ...controls,
  ...problems,
  ...facts,
  ...units,
  ...list,
  ...detail,
  ...past,
  ...steps,
  ...documents,
  ...timeline,
} satisfies Omit<Translated<typeof en>, "problem">;
