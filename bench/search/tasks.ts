/** What is measured in a process of its own. */
import { measureChanges } from "./change-time.js";
import { measureDense } from "./dense-scale.js";
import { measureHybrid } from "./hybrid-cost.js";
import { measureKeywords } from "./keyword-cost.js";
import { prepareData } from "./prepared-data.js";

export const TASKS = {
	prepare: prepareData,
	keywords: measureKeywords,
	hybrid: measureHybrid,
	changes: measureChanges,
	dense: measureDense,
} as const;

export type Tasks = typeof TASKS;
