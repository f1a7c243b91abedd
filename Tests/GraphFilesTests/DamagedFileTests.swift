@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Damaged graph files", .timeLimit(.minutes(60)))
struct DamagedFileTests {
    private static let whole = Array(
        #"""
        {name: 'é\u00e9\ud83d\ude00', queues: {q: {maxConcurrent: -1}}, defaults: {env: {A: "1"}, timeout: '1h30m'},
          operations: [ /* a */ {name: 'a', command: ['x', 'y\
        z'], priority: -4.0e0, needs: ["b", '12/3']}, // b
          {name: "b", command: "x", queue: 'q', array: '1-9:2', grace: '.5s', onFailure: '7/*'},
          {command: "y", hold: true, barrier: false, cancelled: true, onFinish: ["z"]}]}
        """#.utf8
    )

    @Test(
        "A damaged file is read or refused with a place and a sentence, as a whole or line by line",
        arguments: 1...400 as ClosedRange<UInt64>
    )
    func damage(seed: UInt64) {
        var random = SplitMix(seed: seed)
        for _ in 0..<25 {
            var text = Self.whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = text.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = UInt8.random(in: 0...255, using: &random)
                case 1: text.removeSubrange(place..<min(place + Int.random(in: 1...9, using: &random), text.count))
                case 2: text.insert(Array("{}[]\"'\\,:/*-0e".utf8).randomElement(using: &random) ?? 0, at: place)
                default: text.removeSubrange(place...)
                }
                if text.isEmpty { break }
            }
            for error in [wholeError(text), linesError(text)] {
                guard let error else { continue }
                #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty, "seed \(seed)")
            }
        }
    }

    @Test("The undamaged file of these tests is accepted")
    func undamaged() {
        #expect(wholeError(Self.whole) == nil)
    }

    private func wholeError(_ text: [UInt8]) -> GraphFileError? {
        do {
            _ = try GraphFile.submission(from: text, options: options)
            return nil
        } catch {
            return error
        }
    }

    private func linesError(_ text: [UInt8]) -> GraphFileError? {
        do {
            var reader = GraphLinesReader(options: options)
            try reader.read(text)
            _ = try reader.finish()
            return nil
        } catch {
            return error
        }
    }
}
