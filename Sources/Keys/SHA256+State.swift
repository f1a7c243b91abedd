extension SHA256 {
    /// The hash of the blocks that a message begins with.
    ///
    /// Messages with the same beginning share the work for it.
    struct State: Sendable {
        // The fractions of the square roots of the first 8 primes.
        private var a: UInt32 = 0x6a09_e667
        private var b: UInt32 = 0xbb67_ae85
        private var c: UInt32 = 0x3c6e_f372
        private var d: UInt32 = 0xa54f_f53a
        private var e: UInt32 = 0x510e_527f
        private var f: UInt32 = 0x9b05_688c
        private var g: UInt32 = 0x1f83_d9ab
        private var h: UInt32 = 0x5be0_cd19
        /// The number of blocks so far.
        private var blockCount = 0

        /// Takes in the next blocks of the message.
        mutating func take(_ blocks: [UInt8]) {
            blocks.withUnsafeBytes { take($0) }
        }

        private mutating func take(_ blocks: UnsafeRawBufferPointer) {
            for start in stride(from: 0, to: blocks.count, by: SHA256.blockLength) {
                mix(UnsafeRawBufferPointer(rebasing: blocks[start..<start + SHA256.blockLength]))
                blockCount += 1
            }
        }

        /// Writes the 32 bytes of the hash of the message that these blocks and some more bytes make.
        ///
        /// - Parameters:
        ///   - rest: the other bytes of the message.
        ///   - memory: where the hash goes.
        func writeHash(endingWith rest: UnsafeRawBufferPointer, to memory: UnsafeMutableRawBufferPointer) {
            var state = self
            state.takeEnd(rest)
            state.write(to: memory)
        }

        /// Takes in the rest of the message, and the padding behind it: a bit, zeros, and the number of the message's bits.
        private mutating func takeEnd(_ rest: UnsafeRawBufferPointer) {
            let bitCount = UInt64(blockCount * SHA256.blockLength + rest.count) << 3
            let endLength = rest.count % SHA256.blockLength
            let endStart = rest.count - endLength
            take(UnsafeRawBufferPointer(rebasing: rest[..<endStart]))
            // The padding has 9 bytes or more.
            let paddedLength = (endLength + 9 <= SHA256.blockLength ? 1 : 2) * SHA256.blockLength
            withUnsafeTemporaryAllocation(byteCount: 2 * SHA256.blockLength, alignment: 1) { padded in
                padded.initializeMemory(as: UInt8.self, repeating: 0)
                padded.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[endStart...]))
                padded[endLength] = 0x80
                let countPlace = paddedLength - MemoryLayout<UInt64>.size
                padded.storeBytes(of: bitCount.bigEndian, toByteOffset: countPlace, as: UInt64.self)
                take(UnsafeRawBufferPointer(rebasing: padded[..<paddedLength]))
            }
        }

        private func write(to memory: UnsafeMutableRawBufferPointer) {
            var place = 0
            for word in [a, b, c, d, e, f, g, h] {
                memory.storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt32.self)
                place += MemoryLayout<UInt32>.size
            }
        }

        private mutating func mix(_ block: UnsafeRawBufferPointer) {
            // On the stack: a block is hashed several times for each attempt of a worker.
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                for index in 0..<16 {
                    let word = block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
                    schedule.initializeElement(at: index, to: UInt32(bigEndian: word))
                }
                for index in 16..<64 {
                    let (early, late) = (schedule[index - 15], schedule[index - 2])
                    let first = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ early >> 3
                    let second = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ late >> 10
                    let word = schedule[index - 16] &+ first &+ schedule[index - 7] &+ second
                    schedule.initializeElement(at: index, to: word)
                }
                Self.constants.withUnsafeBufferPointer { mix(UnsafeBufferPointer(schedule), $0) }
            }
        }

        private mutating func mix(_ schedule: UnsafeBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>) {
            var (a, b, c, d) = (self.a, self.b, self.c, self.d)
            var (e, f, g, h) = (self.e, self.f, self.g, self.h)
            for index in 0..<64 {
                let choice = e & f ^ ~e & g
                let first =
                    h &+ (Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)) &+ choice &+ constants[index]
                    &+ schedule[index]
                let majority = a & b ^ a & c ^ b & c
                let second = (Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)) &+ majority
                (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
            }
            self.a &+= a
            self.b &+= b
            self.c &+= c
            self.d &+= d
            self.e &+= e
            self.f &+= f
            self.g &+= g
            self.h &+= h
        }

        private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
            word &>> count | word &<< (32 - count)
        }

        private static let constants: [UInt32] = [
            0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
            0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
            0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
            0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
            0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
            0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
            0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
            0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
        ]
    }
}
