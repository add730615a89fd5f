# SPDX-License-Identifier: Apache-2.0
"""How our choosing gets into Inductor, and out again.

Handlers are a thread's own, made at its first compilation: one that compiled before would keep its stock handler.
So the hook is replaced in the class that all of them share. Beside it, where this torch has a way, stands a handler
that only says by what compiled graphs are found again.
"""

import functools
from collections.abc import Callable
from typing import Any

KEY = "triode"
HOOK = "_finalize_template_configs"

# What Inductor offers, the inputs, the op's name: what it is to take.
Chooser = Callable[[list[Any], Any, str], list[Any]]


class Registration:
    """A chooser in force until undo(), on all threads, and `uuid`, what decides its choices. `choices` is
    torch._inductor.choices. Raises, with nothing changed, if another's handler does not go with ours."""

    def __init__(self, choices: Any, choose: Chooser, uuid: Callable[[], Any]) -> None:
        self._choose: Chooser | None = choose
        self._put_hook_back = self._replace_hook(choices.InductorChoices)
        try:
            self.way, self._forget_uuid = _tell_uuid(choices, uuid)
        except BaseException:
            self._put_hook_back()
            raise

    def undo(self) -> None:
        """Puts back what was there, but for what others put in its place meanwhile."""
        self._choose = None
        self._put_hook_back()
        self._forget_uuid()

    def _replace_hook(self, stock: Any) -> Callable[[], None]:
        before = getattr(stock, HOOK)
        # Our chooser is gone where another's function calls this one still.
        hook = hook_around(before, lambda: self._choose)
        setattr(stock, HOOK, hook)

        def put_back() -> None:
            if getattr(stock, HOOK) is hook:
                setattr(stock, HOOK, before)

        return put_back


def hook_around(before: Callable[..., list[Any]], chooser: Callable[[], Chooser | None]) -> Callable[..., list[Any]]:
    """The hook that lets the chooser that there is at the time choose among what `before` gives."""

    @functools.wraps(before)
    def hook(handler, template_choices, kernel_inputs, templates, op_name, kwarg_overrides=None):
        all_choices = before(handler, template_choices, kernel_inputs, templates, op_name, kwarg_overrides)
        choose = chooser()
        return all_choices if choose is None else choose(all_choices, kernel_inputs, op_name)

    return hook


def _tell_uuid(choices: Any, uuid: Callable[[], Any]) -> tuple[str, Callable[[], None]]:
    """The name of the way there is, and what undoes it."""
    from torch._inductor import config

    if hasattr(choices, "register_inductor_choices"):
        choices.register_inductor_choices(KEY, _handler(choices.InductorChoices, uuid))
        return "register_inductor_choices", lambda: choices.unregister_inductor_choices(KEY)
    if not hasattr(config, "inductor_choices_class"):
        return "InductorChoices", lambda: None
    before = config.inductor_choices_class
    if before is None:
        ours = _handler(choices.InductorChoices, uuid)
    else:
        # Another's goes on under ours.
        base = before if isinstance(before, type) else type(before())
        ours = _handler(base, lambda: (before().uuid(), uuid()))
    config.inductor_choices_class = ours

    def put_back() -> None:
        if config.inductor_choices_class is ours:
            config.inductor_choices_class = before

    return "inductor_choices_class", put_back


def _handler(base: Any, uuid: Callable[[], Any]) -> type:
    return type("TriodeChoices", (base,), {"uuid": lambda self: uuid()})
