import Synchronization

/// The place where the parser puts the values of one property.
///
/// It is a reference so that the parser, which sees copies of the property wrappers through reflection, can fill
/// them. Only the parser writes, to a command nobody else has yet; a property that is set later gets a new place. So
/// commands behave as the values they are.
final class Parsed<Value: Sendable>: Sendable {
    private struct State {
        var given: Value?
        var initial: Value?
    }

    private let state: Mutex<State>

    init(initial: Value?) {
        state = Mutex(State(given: nil, initial: initial))
    }

    /// What was given, else the initial value, else nil.
    var value: Value? {
        state.withLock { $0.given ?? $0.initial }
    }

    /// Replaces what was given so far by what follows from it; nil stands for nothing yet.
    func update(_ next: (Value?) -> Value) {
        state.withLock { $0.given = next($0.given) }
    }
}
