/** The public door: embed a tollgraph server in a program of your own. */
export { type App, type AppOptions, createApp } from "./app.js";
export { ServiceError } from "./core/errors.js";
export { readSettings, type Settings } from "./settings.js";
