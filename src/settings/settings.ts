export type { IdentitySettings } from "./identity-settings.js";
export type { OAuthSettings } from "./oauth-settings.js";
export { type OnchainPlan, planOnchain } from "./onchain-settings.js";
export { readSettings, type Settings } from "./read-settings.js";
export { SETTING_ROWS, type SettingKey } from "./setting-rows.js";
export type { WriterSettings } from "./writer-settings.js";
