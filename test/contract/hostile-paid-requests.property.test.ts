import t from "tap";
import { attackOperations } from "./attack-operations.js";
import { MODELS, sellsModels } from "./contract-world.js";

t.test(
	"no hostile request of a paid operation breaks it, shows its insides or is charged",
	async (t) => {
		await attackOperations(t, (operation) => operation.priceUsd > 0 && !sellsModels(operation));
	},
);

t.test("nor one of an operation that sells what a model says", async (t) => {
	await attackOperations(t, sellsModels, MODELS);
});
