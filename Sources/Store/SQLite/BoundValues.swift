/// The values that the parameters of a statement have, as far as they are cheap to compare.
///
/// Most values of a row are those of the row before, and to bind a value takes several times as long as to compare it. The values are in
/// memory of their own: for an array, the checks of exclusive access would take as long as the bind.
struct BoundValues: ~Copyable {
    /// The value of a parameter.
    enum Value: Equatable {
        /// A value that is not compared: a long text, bytes, or none yet.
        case unknown
        case null
        case number(Int64)
        /// A text of at most ``longestText`` bytes: the bytes, and their number.
        ///
        /// The bytes are compared, not the characters: texts that are equal as strings can differ in their bytes.
        case text(UInt64, UInt64, count: Int)

        /// The value of a parameter with a text.
        init(_ text: String) {
            var text = text
            self = text.withUTF8 { bytes in
                guard bytes.count <= BoundValues.longestText else { return .unknown }
                var words: (UInt64, UInt64) = (0, 0)
                withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: UnsafeRawBufferPointer(bytes)) }
                return .text(words.0, words.1, count: bytes.count)
            }
        }
    }

    /// The longest text that is compared, in bytes.
    static let longestText = 15

    /// The parameters whose values are compared: all but those with larger numbers.
    private static let parameters = 32

    /// By parameter, from 1; the first place stays free.
    private let values: UnsafeMutableBufferPointer<Value>

    init() {
        values = .allocate(capacity: Self.parameters + 1)
        values.initialize(repeating: .unknown)
    }

    deinit {
        values.deallocate()
    }

    /// Sets the value of a parameter.
    ///
    /// - Returns: whether the value has to be bound: false if the parameter has it already.
    @inline(__always)
    func replace(_ parameter: Int32, by value: Value) -> Bool {
        let place = Int(parameter)
        guard place > 0, place < values.count else { return true }
        guard value == .unknown || values[place] != value else { return false }
        values[place] = value
        return true
    }

    /// Notes that a parameter gets a value that is not compared.
    func forget(_ parameter: Int32) { _ = replace(parameter, by: .unknown) }

    /// Notes that nothing is known of any parameter.
    func forgetAll() { values.update(repeating: .unknown) }
}
