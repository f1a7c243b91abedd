import Synchronization

/// The storage for the parsed values of one property.
///
/// The storage is a reference: the parser sees only copies of the property wrappers through reflection, and can still fill the
/// storage. Only the parser writes, and only before a command is handed out. Setting a property later creates new storage, so
/// commands have value semantics.
final class Parsed<Value: Sendable>: Sendable {
    private struct State {
        var given: Value?
        var initial: Value?
    }

    private let state: Mutex<State>

    init(initial: Value?) {
        state = Mutex(State(given: nil, initial: initial))
    }

    /// The given value, else the initial value, else nil.
    var value: Value? {
        state.withLock { $0.given ?? $0.initial }
    }

    /// Replaces the given value with a value computed from the given value; nil stands for no value so far.
    func update(_ next: (Value?) -> Value) {
        state.withLock { $0.given = next($0.given) }
    }
}
