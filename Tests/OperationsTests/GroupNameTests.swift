@_spi(Baton) import BatonOperations
import Testing

@Suite("The names of groups", .timeLimit(.minutes(60)))
struct GroupNameTests {
    @Test(
        "Runs of digits are folded",
        arguments: [("tile_17", "tile_*"), ("a1b22c", "a*b*c"), ("plain", "plain"), ("é3", "é*")]
    )
    func folding(_ name: String, _ folded: String) {
        #expect(GroupName.folded(name) == folded)
    }
}
