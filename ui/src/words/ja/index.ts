import type { en } from "../en";
import type { Translated } from "../message";
import * as controls from "./controls";
import * as detail from "./detail";
import * as lead from "./lead";
import * as facts from "./facts";
import * as followUp from "./follow-up";
import * as list from "./list";
import * as past from "./past";
import * as problems from "./problems";
import * as status from "./status";
import * as effects from "./effects";
import * as steps from "./steps";
import * as tests from "./tests";
import * as units from "./units";
import * as parts from "./parts";
import * as window from "./window";
import * as closing from "./closing";
import * as board from "./board";
import * as workers from "./workers";
import * as tasks from "./tasks";
import * as graph from "./graph";
import * as documents from "./documents";
import * as timeline from "./timeline";
import * as outside from "./outside";
import * as start from "./start";
import * as needs from "./needs";
import * as agents from "./agents";
import * as trust from "./trust";
import * as output from "./output";

export const ja = {
  ...status,
  ...controls,
  ...problems,
  ...facts,
  ...followUp,
  ...units,
  ...list,
  ...detail,
  ...lead,
  ...past,
  ...steps,
  ...effects,
  ...window,
  ...closing,
  ...parts,
  ...board,
  ...workers,
  ...tasks,
  ...graph,
  ...tests,
  ...documents,
  ...timeline,
  ...outside,
  ...start,
  ...needs,
  ...agents,
  ...trust,
  ...output,
} satisfies Omit<Translated<typeof en>, "problem">;
