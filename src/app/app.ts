export { openFeeds } from "./app-feeds.js";
export { type App, type AppOptions, createApp } from "./create-app.js";
export { checkOnchain, type OpenedOnchain, openOnchain } from "./open-onchain.js";
export { locateModel } from "./open-search.js";
