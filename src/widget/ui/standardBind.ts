// MooTools before 1.5 replaces `Function.prototype.bind` by a function that expects further arguments as an array. While it
// is evaluated, @preact/signals calls `bind` with arguments, so no panel would be rendered. This module restores the
// standard `bind` and must therefore be evaluated first: the first module of each chunk imports it before anything else.

const functions = Function.prototype
const pageBind = Object.getOwnPropertyDescriptor(functions, 'bind') as PropertyDescriptor
const isStandard = ((...args: unknown[]) => args.length === 2).bind(null, 1, 2)()

if (!isStandard) {
  const bind = function (this: (...args: unknown[]) => unknown, that: unknown, ...args: unknown[]) {
    return (...more: unknown[]) => this.apply(that, [...args, ...more])
  }
  Object.defineProperty(functions, 'bind', { ...pageBind, value: bind })
  // Restore the page's `bind` when the modules of this chunk have been evaluated.
  queueMicrotask(() => Object.defineProperty(functions, 'bind', pageBind))
}
