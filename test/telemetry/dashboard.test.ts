import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { listSeriesNames, METRICS, type Metric } from "../../src/telemetry/metrics.js";

interface Dashboard {
	readonly panels: readonly {
		readonly title: string;
		readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
	}[];
	readonly templating: { readonly list: readonly { readonly query: unknown }[] };
}

const text = readFileSync(join(PACKAGE_ROOT, "examples/grafana-dashboard.json"), "utf8");
const dashboard = JSON.parse(text) as Dashboard;
const NAME = /\btollgraph_\w+/g;
const known: ReadonlySet<string> = new Set(listSeriesNames());

t.test("every metric that the dashboard names is exported, and each is shown", async (t) => {
	const named = new Set(text.match(NAME));
	t.same(
		[...named].filter((name) => !known.has(name)),
		[],
	);
	const bases = new Set([...named].map((name) => name.replace(/_(bucket|sum|count)$/, "")));
	t.same(
		Object.keys(METRICS).filter((name) => !bases.has(name)),
		[],
	);
});

t.test("its queries group and choose by labels that the metrics have", async (t) => {
	const ADDED = ["le", "instance"];
	for (const { title, targets = [] } of dashboard.panels) {
		for (const { expr, legendFormat } of targets) {
			const labels = (expr.match(NAME) ?? []).flatMap((name) => {
				const metric = METRICS[name.replace(/_(bucket|sum|count)$/, "") as keyof typeof METRICS];
				return [...(metric as Metric).labels];
			});
			const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
				list.split(",").map((label) => label.trim()),
			);
			const chosen = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = ""]) => label);
			const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
			for (const label of [...grouped, ...chosen, ...shown].filter((one) => one !== "")) {
				t.ok([...labels, ...ADDED].includes(label), `${title}: ${label}`);
			}
		}
	}
});
