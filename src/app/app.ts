export { locateModel } from "./content.js";
export { type App, type AppOptions, createApp } from "./create-app.js";
export type { AppServer } from "./lifecycle.js";
export { checkOnchain, type OpenedOnchain, openOnchain } from "./onchain.js";
export { openFeeds, openLlmWriter } from "./research.js";
