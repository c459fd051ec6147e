/** Documents of an A2A task: what was said and answered, and who is told when it changes. */
export const taskDocument = (taskId: string): string => `a2a-${taskId}`;
export const pushDocument = (taskId: string): string => `a2a-${taskId}-push`;
