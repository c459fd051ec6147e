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
import { addCommand, type CommandContext } from "../operator-command.js";
import { createProgress, toColumns } from "../output.js";

const MEGABYTE = 1_000_000;

export function addModels(program: Command, context: CommandContext): void {
	const models = program.command("models").description("Embedding models that search can use.");
	const list = models.command("list").description("List the models that are here or known.");
	addCommand(list, context, {
		async run({ settings }) {
			const modelsFolder = modelsFolderOf(settings);
			const locate = (model: string) => locateModel(parseModelName(model), modelsFolder);
			return { items: await listModels({ active: settings.model, modelsFolder, locate }) };
		},
		describe: ({ items }) => describe(items),
	});
	const fetch = models
		.command("fetch <id>")
		.description("Fetch a model from huggingface.co; nothing else ever asks the hub.");
	addCommand(fetch, context, {
		run({ settings, args: [id = ""] }) {
			const progress = createProgress(context.terminal, "Fetching MB");
			return fetchModel(id, {
				hub: createModelHub(createHubEgress(), MODEL_HUB),
				clock: systemClock,
				modelsFolder: modelsFolderOf(settings),
				onProgress: ({ done, total }) =>
					progress({ done: Math.floor(done / MEGABYTE), total: Math.floor(total / MEGABYTE) }),
			});
		},
		describe: (fetched) => [describeFetched(fetched)],
	});
}

const modelsFolderOf = ({ data }: Settings) => join(resolve(data), "models");

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

function describeFetched(model: FetchedModel): string {
	const { id, revision, licence, bytes, dimensions } = model;
	const what = model.is_new ? "fetched" : "was here already";
	return `${id} ${what}: ${(bytes / MEGABYTE).toFixed(1)} MB, ${dimensions} dimensions, licence ${licence ?? "not told"}, commit ${revision.slice(0, 12)}. Use it with --model hub:${id}.`;
}
