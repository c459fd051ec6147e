import t from "tap";
import { attackOperations } from "./attack-operations.js";

t.test(
	"no hostile request of a paid operation breaks it, shows its insides or is charged",
	async (t) => {
		await attackOperations(t, ({ priceUsd }) => priceUsd > 0);
	},
);
