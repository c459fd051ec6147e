/** The public door: embed a tollgraph server in a program of your own. */
export { type App, type AppOptions, createApp } from "./app/app.js";
export { ServiceError } from "./kernel/kernel.js";
export { readSettings, type Settings } from "./settings/settings.js";
