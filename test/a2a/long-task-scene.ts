import type {
	SendMessageConfiguration,
	StreamResponse,
	Task,
	TaskPushNotificationConfig,
} from "@a2a-js/sdk";
import type { World } from "../jobs/job-shop.js";
import { createGate } from "../support/gate.js";
import type { startLongA2a } from "./start-long-a2a.js";
import { type Binding, connect, dataMessage, sendParams, type Version } from "./stock-client.js";

export const DIVE = { skill: "deep_dive", input: { query: "q" } };
export const HOOK = "https://hooks.example.com/in";
/** JSON-RPC, and what is no HTTP of ours. */
export const BINDINGS = ["JSONRPC", "GRPC"] as const;
export const WAY = { binding: "JSONRPC", version: "1.0" } as const;
export type Shop = Awaited<ReturnType<typeof startLongA2a>>;

/** The third of four passes waits there. */
export function gateIn(world: World) {
	const gate = createGate();
	world.script.onPass = async (pass) => {
		if (pass === "three") await gate.pass();
	};
	return gate;
}

/** Somebody with 40 USD on a token. */
export async function buyer({ issue }: Pick<Shop, "issue">) {
	const { id, token } = await issue(40n);
	const headers = { "X-Pay-SPT": token };
	const at = ({ baseUrl }: Shop, version: Version = "1.0", binding: Binding = "JSONRPC") =>
		connect({ baseUrl, binding, version, headers });
	return { id, at, headers };
}

type Wishes = Partial<Omit<SendMessageConfiguration, "taskPushNotificationConfig">> & {
	taskPushNotificationConfig?: TaskPushNotificationConfig | undefined;
};

export function launchParams(message: ReturnType<typeof dataMessage>, wishes: Wishes = {}) {
	const { acceptedOutputModes = [], taskPushNotificationConfig, ...others } = wishes;
	const returnImmediately = true;
	const configuration = { returnImmediately, acceptedOutputModes, taskPushNotificationConfig };
	return { ...sendParams(message), configuration: { ...configuration, ...others } };
}

export function pushConfig(
	changes: Partial<TaskPushNotificationConfig> = {},
): TaskPushNotificationConfig {
	const bare = { tenant: "", id: "", taskId: "", url: HOOK, token: "knock knock" };
	return { ...bare, authentication: undefined, ...changes };
}

export const named = (task: Task) => ({ tenant: "", id: task.id, metadata: undefined });

export async function collect(
	events: AsyncIterable<StreamResponse>,
	onEvent: (event: StreamResponse) => void = () => undefined,
): Promise<StreamResponse[]> {
	const told: StreamResponse[] = [];
	for await (const event of events) {
		told.push(event);
		onEvent(event);
	}
	return told;
}

export const stateOf = ({ payload }: StreamResponse) => {
	if (payload?.$case === "task" || payload?.$case === "statusUpdate") {
		return payload.value.status?.state;
	}
	return payload?.$case;
};

export const launched = async (client: Awaited<ReturnType<typeof connect>>, wishes?: Wishes) =>
	(await client.sendMessage(launchParams(dataMessage(DIVE), wishes))) as Task;
