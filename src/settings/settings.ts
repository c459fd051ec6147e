export type { IdentitySettings, OAuthSettings } from "./identity-settings.js";
export { type OnchainPlan, planOnchain } from "./onchain-settings.js";
export type { WriterSettings } from "./outbound-settings.js";
export { readSettings, type Settings } from "./read-settings.js";
export { SETTING_ROWS, type SettingKey } from "./setting-rows.js";
