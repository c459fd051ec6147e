export { assertPrivate } from "./grpc-settings.js";
export { type OnchainPlan, planOnchain } from "./onchain-settings.js";
export { keysFolderOf, readSettings, type Settings } from "./read-settings.js";
export {
	GRAPH_VERSIONS,
	renderSettingsFile,
	SECRET_ROWS,
	SETTING_ROWS,
	type SettingKey,
} from "./setting-rows.js";
export { parseOtlpHeaders, type TelemetrySettings } from "./telemetry-settings.js";
