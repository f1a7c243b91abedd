/// A value behind one reference, which is copied when it is changed, as the value itself is.
///
/// The scheduler is a large value, which the compiler copies for some calls on the way of each operation. What is seldom looked at there
/// costs less behind a reference. The box is an array with one element: it has the wanted semantics, also between threads.
@propertyWrapper
struct Boxed<Value> {
    private var content: [Value]

    init(wrappedValue: Value) { content = [wrappedValue] }

    @inline(__always) var wrappedValue: Value {
        _read { yield content[0] }
        _modify { yield &content[0] }
    }
}

extension Boxed: Sendable where Value: Sendable {}
