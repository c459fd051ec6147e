import { join, resolve } from "node:path";
import type { Command } from "commander";
import { locateModel } from "../../app/app.js";
import { createHubEgress, MODEL_HUB } from "../../delivery/delivery.js";
import { systemClock } from "../../kernel/kernel.js";
import {
	createModelHub,
	type FetchedModel,
	fetchModel,
	type ListedModel,
	listModels,
	parseModelName,
} from "../../search/search.js";
import type { Settings } from "../../settings/settings.js";
import { type CommandContext, type Flags, settingsOf, withSettings } from "../operator-command.js";
import { createProgress, printResult, toColumns } from "../output.js";

const MEGABYTE = 1_000_000;

export function addModels(program: Command, context: CommandContext): void {
	const models = program.command("models").description("Embedding models that search can use.");
	const { terminal } = context;
	withSettings(models.command("list").description("List the models that are here or known."))
		.option("--json", "print one JSON line")
		.action(async (flags: Flags) => {
			const items = await listFor(settingsOf(context, flags));
			printResult(terminal, { items }, { json: flags["json"] === true, lines: describe(items) });
		});
	const fetch = models
		.command("fetch <id>")
		.description("Fetch a model from huggingface.co; nothing else ever asks the hub.");
	withSettings(fetch)
		.option("--json", "print one JSON line")
		.action(async (id: string, flags: Flags) => {
			const progress = createProgress(terminal, "Fetching MB");
			const fetched = await fetchModel(id, {
				hub: createModelHub(createHubEgress(), MODEL_HUB),
				clock: systemClock,
				modelsFolder: modelsFolderOf(settingsOf(context, flags)),
				onProgress: ({ done, total }) =>
					progress({ done: Math.floor(done / MEGABYTE), total: Math.floor(total / MEGABYTE) }),
			});
			const json = flags["json"] === true;
			printResult(terminal, fetched, { json, lines: [describeFetched(fetched)] });
		});
}

function listFor(settings: Settings): Promise<readonly ListedModel[]> {
	const modelsFolder = modelsFolderOf(settings);
	const locate = (model: string) => locateModel(parseModelName(model), modelsFolder);
	return listModels({ active: settings.model, modelsFolder, locate });
}

function modelsFolderOf({ data }: Settings): string {
	return join(resolve(data), "models");
}

function describe(items: readonly ListedModel[]): string[] {
	return toColumns(
		items.map((item) => [
			item.is_active ? "*" : " ",
			item.model,
			item.state,
			item.dimensions === null ? "" : `${item.dimensions} dimensions`,
			item.bytes === null ? "" : `${(item.bytes / MEGABYTE).toFixed(1)} MB`,
			item.licence ?? "",
			item.reason ?? "",
		]),
	);
}

function describeFetched({
	id,
	revision,
	licence,
	bytes,
	dimensions,
	is_new,
}: FetchedModel): string {
	const what = is_new ? "fetched" : "was here already";
	return `${id} ${what}: ${(bytes / MEGABYTE).toFixed(1)} MB, ${dimensions} dimensions, licence ${licence ?? "not told"}, commit ${revision.slice(0, 12)}. Use it with --model hub:${id}.`;
}
