import t from "tap";
import { attackOperations } from "./attack-operations.js";

t.test("no hostile request of a free operation breaks it or shows its insides", async (t) => {
	await attackOperations(t, ({ priceUsd }) => priceUsd === 0);
});
