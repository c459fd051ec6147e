export { createAnalystConsult } from "./analyst-consult.js";
export { createAnalystDebate } from "./analyst-debate.js";
export { getAnalyst, listAnalysts } from "./analyst-index.js";
export {
	analystConsultFields,
	analystConsultOutput,
	debateFields,
	debateOutput,
	scenarioSchema,
} from "./analyst-wire.js";
