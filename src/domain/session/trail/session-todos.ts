/** The agent's own task list, as its tool calls left it. */
import type { JsonObject } from '../../redaction/json-value.js';
import { textField } from './call-arguments.js';

export type TodoState = 'pending' | 'in-progress' | 'completed' | 'cancelled';

export interface SessionTodo {
  /** The tool's own id, else the text itself; unique in the session. */
  readonly todoId: string;
  readonly text: string;
  readonly state: TodoState;
  /** Of the call that first named it, and of the last that changed its state. */
  readonly firstSeq: number;
  readonly changedSeq: number;
}

export type TodoItem = Pick<SessionTodo, 'todoId' | 'text' | 'state'>;

export type TodoChange =
  /** The whole list anew; what it no longer names is cancelled unless it was completed. */
  | { readonly change: 'replace'; readonly todos: readonly TodoItem[] }
  | { readonly change: 'add'; readonly todo: TodoItem }
  | {
      readonly change: 'update';
      readonly todoId: string;
      readonly text: string | null;
      readonly state: TodoState | null;
    };

const STATES: Readonly<Record<string, TodoState>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  in_progress: 'in-progress',
  'in-progress': 'in-progress',
  active: 'in-progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  deleted: 'cancelled',
};

export function todoState(word: string | null): TodoState | null {
  return STATES[word?.toLowerCase() ?? ''] ?? null;
}

/** An item of a list of todos in the words of several vendors, or null. */
export function todoItem(item: JsonObject): TodoItem | null {
  const text = textField(item, 'content', 'step', 'subject', 'title', 'text', 'description');
  if (text === null) return null;
  const state = todoState(textField(item, 'status', 'state')) ?? 'pending';
  return { todoId: textField(item, 'id') ?? text, text, state };
}

export function applyTodos(
  before: readonly SessionTodo[],
  change: TodoChange,
  seq: number,
): readonly SessionTodo[] {
  switch (change.change) {
    case 'replace':
      return replaced(before, change.todos, seq);
    case 'add':
      return [
        ...before.filter(({ todoId }) => todoId !== change.todo.todoId),
        { ...change.todo, firstSeq: seq, changedSeq: seq },
      ];
    case 'update':
      return before.map((todo) => {
        if (todo.todoId !== change.todoId) return todo;
        const state = change.state ?? todo.state;
        const changedSeq = state === todo.state ? todo.changedSeq : seq;
        return { ...todo, text: change.text ?? todo.text, state, changedSeq };
      });
  }
}

function replaced(
  before: readonly SessionTodo[],
  todos: readonly TodoItem[],
  seq: number,
): readonly SessionTodo[] {
  const known = new Map(before.map((todo) => [todo.todoId, todo]));
  const named = new Map(todos.map((todo) => [todo.todoId, todo]));
  const current = [...named.values()].map((todo): SessionTodo => {
    const earlier = known.get(todo.todoId);
    if (earlier === undefined) return { ...todo, firstSeq: seq, changedSeq: seq };
    const changedSeq = earlier.state === todo.state ? earlier.changedSeq : seq;
    return { ...todo, firstSeq: earlier.firstSeq, changedSeq };
  });
  const dropped = before
    .filter(({ todoId }) => !named.has(todoId))
    .map((todo): SessionTodo => {
      const isOver = todo.state === 'completed' || todo.state === 'cancelled';
      return isOver ? todo : { ...todo, state: 'cancelled', changedSeq: seq };
    });
  return [...dropped, ...current];
}
