import { en } from "../en";
export const zhCN = en;
