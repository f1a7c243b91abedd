/// Writes numbers and ASCII characters one behind another into memory that has room for them.
struct DigitWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var count = 0

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    /// Makes a text, which is written on the stack first: a string that grows part by part costs more than its digits.
    ///
    /// - Parameters:
    ///   - greatestLength: the most characters that are written.
    ///   - write: writes the text.
    static func text(upTo greatestLength: Int, _ write: (inout DigitWriter) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: greatestLength) { buffer in
            var writer = DigitWriter(buffer)
            write(&writer)
            return String(decoding: writer.written, as: UTF8.self)
        }
    }

    /// What was written so far.
    var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: buffer[..<count]) }

    /// Writes a number in decimal, and the character behind it.
    ///
    /// - Parameters:
    ///   - number: the number.
    ///   - width: the least number of digits, from 1 to 6.
    ///   - end: the character behind the number; nil for none.
    mutating func write(_ number: Int64, width: Int = 1, end: Unicode.Scalar? = nil) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var length = width
        var bound = Self.powersOfTen[width]
        while number.magnitude >= bound {
            length += 1
            bound *= 10
        }
        var rest = number.magnitude
        for place in stride(from: count + length - 1, through: count, by: -1) {
            buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += length
        if let end { append(UInt8(ascii: end)) }
    }

    /// Writes a number as 16 hexadecimal digits in lower case, and the character behind it.
    mutating func write(hexadecimal number: UInt64, end: Unicode.Scalar? = nil) {
        for place in 0..<16 {
            let value = UInt8(truncatingIfNeeded: number &>> UInt64(60 - 4 * place)) & 0xF
            append(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10))
        }
        if let end { append(UInt8(ascii: end)) }
    }

    private mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }

    private static let powersOfTen: [UInt64] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
}
