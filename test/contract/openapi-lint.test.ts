import { createConfig, lintFromString } from "@redocly/openapi-core";
import t from "tap";
import { createPriceList } from "../../payments/price-list.js";
import { toOpenApiDocument } from "../../src/rest/openapi-document.js";

t.test(
	"the description has nothing to complain about for Redocly's recommended rules",
	async (t) => {
		const document = toOpenApiDocument({
			baseUrl: "https://api.example.org",
			prices: createPriceList(),
		});
		const config = await createConfig({ extends: ["recommended"] });
		const lint = (text: string) =>
			lintFromString({ source: text, absoluteRef: "openapi.json", config });
		const problems = await lint(JSON.stringify(document));
		t.same(
			problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
			[],
		);
		const { paths: _paths, ...broken } = document;
		t.ok((await lint(JSON.stringify(broken))).length > 0, "a broken one is complained about");
	},
);
