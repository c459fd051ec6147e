/** What the conformance suite asks for by name: tools, resources and prompts that only a test server has. */
import type { CallToolResult, GetPromptResult, ServerContext } from "@modelcontextprotocol/server";

/** A red pixel, and silence. */
const PNG =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
const text = (words: string) => ({ type: "text", text: words }) as const;

export type FixtureAnswer = (context: ServerContext, args: Args) => object | Promise<object>;
type Args = Readonly<Record<string, unknown>>;

/** Tools whose answers are content of every kind. */
export const CONTENT_TOOLS: Readonly<Record<string, () => CallToolResult>> = {
	test_simple_text: () => ({ content: [text("This is a simple text response for testing.")] }),
	test_image_content: () => ({ content: [image] }),
	test_audio_content: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
	test_embedded_resource: () => ({
		content: [
			{
				type: "resource",
				resource: {
					uri: "test://embedded-resource",
					mimeType: "text/plain",
					text: "This is an embedded resource content.",
				},
			},
		],
	}),
	test_multiple_content_types: () => ({
		content: [
			text("Multiple content types test:"),
			image,
			{
				type: "resource",
				resource: {
					uri: "test://mixed-content-resource",
					mimeType: "application/json",
					text: JSON.stringify({ test: "data", value: 123 }),
				},
			},
		],
	}),
	test_error_handling: () => ({
		isError: true,
		content: [text("This tool intentionally returns an error for testing")],
	}),
};

export const RESOURCES = [
	{
		uri: "test://static-text",
		name: "static-text",
		description: "Text that never changes.",
		mimeType: "text/plain",
	},
	{
		uri: "test://static-binary",
		name: "static-binary",
		description: "A picture that never changes.",
		mimeType: "image/png",
	},
];
export const TEMPLATE = {
	uriTemplate: "test://template/{id}/data",
	name: "template",
	description: "Data of an id.",
	mimeType: "application/json",
};

/** Undefined for what is no fixture. */
export function readFixture(uri: string) {
	const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
	if (id !== undefined) {
		const data = { id, templateTest: true, data: `Data for ID: ${id}` };
		return { contents: [{ uri, mimeType: TEMPLATE.mimeType, text: JSON.stringify(data) }] };
	}
	const found = RESOURCES.find((resource) => resource.uri === uri);
	if (!found) return undefined;
	const body = found.mimeType.startsWith("text/")
		? { text: "This is the content of the static text resource." }
		: { blob: PNG };
	return { contents: [{ uri, mimeType: found.mimeType, ...body }] };
}

const says = (content: GetPromptResult["messages"][number]["content"]) =>
	({ role: "user", content }) as const;

export const PROMPTS: Readonly<
	Record<string, (args: Readonly<Record<string, string>>) => GetPromptResult>
> = {
	test_simple_prompt: () => ({ messages: [says(text("This is a simple prompt for testing."))] }),
	test_prompt_with_arguments: ({ arg1, arg2 }) => ({
		messages: [says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
	}),
	test_prompt_with_embedded_resource: ({ resourceUri = "" }) => ({
		messages: [
			says({
				type: "resource",
				resource: {
					uri: resourceUri,
					mimeType: "text/plain",
					text: "Embedded resource content for testing.",
				},
			}),
			says(text("Please process the embedded resource above.")),
		],
	}),
	test_prompt_with_image: () => ({
		messages: [says(image), says(text("Please analyze the image above."))],
	}),
};
