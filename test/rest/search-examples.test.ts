import t from "tap";
import { emptySearch } from "../service/empty-search.js";
import { ROUTES } from "../support/routes.js";
import { createTestService, sellForAnything } from "./start-rest.js";

t.test("what a route's example sends is what its skill takes", (t) => {
	const { skills } = createTestService({
		baseUrl: () => "https://example.org",
		invoke: sellForAnything,
		search: emptySearch,
	});
	for (const route of Object.values(ROUTES)) {
		if (route.kind !== "paid") continue;
		const { params = {}, query = {}, body } = route.example;
		const asked = route.query.parse(query);
		const parsed = skills[route.id].input.safeParse({ ...params, ...asked, ...body });
		t.ok(parsed.success, route.id);
	}
	t.end();
});
