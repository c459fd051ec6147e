/** The public door: embed a tollgraph server in a program of your own. */
export { type App, type AppOptions, createApp } from "./app/create-app.js";
export { ServiceError } from "./kernel/errors.js";
export { readSettings, type Settings } from "./settings/read-settings.js";
