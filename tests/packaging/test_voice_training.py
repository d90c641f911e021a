"""The steps of the training on a tiny checkpoint: what is trained is what the engine runs."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from voice import fit_quantizer, train_model
from voice.codec_batches import frame_phonemes, latents, listened, log_mel_loss, padded, spoken
from voice.course import Course
from voice.critic import Critic, reproach, verdicts
from voice.encode import Spoken, encode_all, read_codes
from voice.export import save_codec, save_model
from voice.fit_quantizer import fit
from voice.geometry import Near, near
from voice.go_on import go_on
from voice.lessons import Teaching
from voice.own_history import remembering_itself
from voice.phonemes import SYMBOLS
from voice.recordings import Recording, Sound, whole, write_shard
from voice.resay import Resaying
from voice.train_decoder import main as train_decoder
from voice.train_decoder import meaning, with_a_voice
from voice.train_model import LOOK_AHEAD, Gaze, endless, losses, shares
from voice.train_phonetic import train as train_phonetic
from voice.unremembered import Unremembered
from voice.vocabulary import build

from engine.align import looks
from engine.checkpoint import Checkpoint, load
from engine.codec import Codec, SpectralConfig
from engine.codec_file import load_codec
from engine.codec_voiced import VoicedBack
from engine.config import read_config
from engine.frames import forced_log_p
from engine.tokenizer import Tokenizer
from tests.tiny import SEMANTIC, write_tiny

HEADS = [[1, 0], [3, 0]]
SHAPE = {"n_layer": 4, "n_head": 4, "n_local_heads": 2, "alignment_heads": HEADS}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("tiny"), text=SHAPE)


@pytest.fixture(scope="module")
def checkpoint(start: Path) -> Checkpoint:
    loaded = load(start, "cpu", "fp32")
    loaded.model.requires_grad_(True)
    return loaded


@pytest.fixture(scope="module")
def codec(start: Path) -> Codec:
    return load_codec(start, "cpu")


def recording(voice: str, number: int, length: int) -> Recording:
    chance = np.random.default_rng(number)
    samples = whole(chance.uniform(-0.3, 0.3, length).astype(np.float32))
    edges = np.linspace(0, length, 7).astype(int)
    sounds = [Sound(chance.choice(SYMBOLS), int(a), int(b)) for a, b in pairwise(edges)]
    letters = tuple(np.linspace(0, length - 1, 8).astype(int).tolist())
    return Recording(voice, f"Word {number:03d}", samples, tuple(sounds), letters)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working folder with a few recordings of noise."""
    made = tmp_path_factory.mktemp("voice")
    (made / "data").mkdir()
    for voice in ("heart", "joe"):
        write_shard(
            made / "data" / f"{voice}-000", [recording(voice, number, 7300 + 256 * number) for number in range(20)]
        )
    return made


def speech(checkpoint: Checkpoint, count: int) -> Teaching:
    chance = np.random.default_rng(0)
    letters = np.linspace(0, 15, len("Speak 00 now"), dtype=np.float32)
    rows = checkpoint.config.num_codebooks
    made = [
        Spoken(voice, f"Speak {number:02d} now", chance.integers(0, SEMANTIC, (rows, 16 + number)), letters)
        for voice in ("heart", "joe")
        for number in range(count)
    ]
    return Teaching(made, checkpoint.tokenizer, checkpoint.config)


def every_code(checkpoint: Checkpoint) -> list[Near]:
    """Codebooks that use all of their rows, and whose codes have no neighbours."""
    size = checkpoint.config.codebook_size
    return [Near(0, torch.randn(size, 8), torch.eye(size)) for _ in range(checkpoint.config.num_codebooks)]


def test_latents_side_by_side_are_what_the_codec_encodes(codec: Codec) -> None:
    waves = [recording("heart", number, length).wave for number, length in ((1, 2000), (2, 1300))]
    together = latents(codec, padded(waves, codec))
    for row, wave in enumerate(waves):
        codes = codec.encode(torch.from_numpy(wave))
        own = together[row : row + 1, :, : codes.shape[1]]
        semantic, left = codec.quantizer.semantic_quantizer.encode(own)
        assert torch.equal(torch.cat([semantic, codec.quantizer.quantizer.encode(left)[0]]), codes)


def test_what_is_trained_to_speak_is_what_the_codec_decodes(codec: Codec) -> None:
    codec = with_a_voice(codec)
    assert isinstance(codec.back, VoicedBack)
    nn.init.normal_(codec.back.pitch.weight, 0.0, 0.3)
    codes = torch.randint(0, SEMANTIC, (2, codec.codebooks, 9))
    with torch.no_grad():
        x = listened(codec, meaning(codec, codes))
        made = spoken(codec, x, codec.back.pitch(x))
    for row in range(2):
        torch.testing.assert_close(made[row], codec.decode(codes[row]), atol=1e-4, rtol=1e-3)


def test_a_voice_that_is_given_says_nothing_yet(codec: Codec) -> None:
    """Until it is trained, half of what the codec said is left, and the pulses wait for a pitch."""
    codes = torch.randint(0, SEMANTIC, (codec.codebooks, 9))
    voiced = with_a_voice(codec)
    assert with_a_voice(voiced) is voiced
    torch.testing.assert_close(voiced.decode(codes), codec.decode(codes) / 2, atol=1e-5, rtol=1e-4)


def test_frames_share_out_their_phonemes(codec: Codec) -> None:
    one = replace(recording("heart", 0, 1000), sounds=(Sound("ɑ", 0, 384), Sound("b", 384, 512)))
    shares = frame_phonemes(one, 256)
    assert shares.shape == (4, len(SYMBOLS))
    torch.testing.assert_close(shares.sum(1), torch.ones(4))
    assert shares[1, SYMBOLS.index("b")] == 0.5
    assert shares[2, 0] == 1


def test_the_same_sound_costs_nothing(codec: Codec) -> None:
    assert isinstance(codec.config, SpectralConfig)
    wave = torch.from_numpy(recording("heart", 0, 8000).wave)[None]
    assert log_mel_loss(codec.config, wave, wave).item() == 0
    assert log_mel_loss(codec.config, wave * 0.5, wave).item() > 0


def test_losses_are_the_engines_probabilities(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_model, "FIRST_ROW", 1.0)  # the engine weighs all rows alike
    monkeypatch.setattr(train_model, "LAST_ROW", 1.0)
    monkeypatch.setattr(train_model, "LATE_FRAMES", 1)
    teaching, model = speech(checkpoint, 2), checkpoint.model
    lesson = teaching.lesson(teaching.spoken[0], False, random.Random(0))
    batch = teaching.batch([lesson], 0.0, np.random.default_rng(0))
    gaze = Gaze(model, checkpoint.config.alignment_heads + LOOK_AHEAD)
    told = losses(model, gaze, every_code(checkpoint), batch)

    columns = torch.from_numpy(lesson.columns)[None]
    with torch.no_grad():
        hidden = model.slow(columns, model.slow.stack.memory(1, columns.shape[2]))[0, lesson.answer - 1 :]
        codes = columns[0, 1:, lesson.answer :].T
        slow, fast = forced_log_p(model, hidden[:-1], codes).unbind(1)
        end = model.slow.logits(hidden[-1]).log_softmax(-1)[0]
    assert told["slow"].item() == pytest.approx(-(slow.sum() + end).item() / (len(codes) + 1), abs=1e-4)
    assert told["fast"].item() == pytest.approx(-fast.mean().item(), abs=1e-4)


def test_the_gaze_is_what_the_engine_aligns_by(checkpoint: Checkpoint) -> None:
    teaching, model = speech(checkpoint, 2), checkpoint.model
    lesson = teaching.lesson(teaching.spoken[1], True, random.Random(0))
    batch = teaching.batch([lesson], 0.0, np.random.default_rng(0))
    heads = checkpoint.config.alignment_heads
    gaze = Gaze(model, heads)
    with torch.no_grad():
        model.slow(batch.columns, Unremembered(1, torch.device("cpu")))
    memory = model.slow.stack.memory(1, lesson.columns.shape[1])
    seen = looks(model, lesson.columns[None], memory, heads, lesson.text)[0]
    for number, head in enumerate(heads):
        shares = gaze.shares[head][0, :, slice(*lesson.text)].exp()
        torch.testing.assert_close(shares, seen[number], atol=1e-5, rtol=1e-4)


def test_a_batch_asks_for_every_frame_and_the_end(checkpoint: Checkpoint) -> None:
    teaching = speech(checkpoint, 3)
    lessons = [teaching.lesson(one, False, random.Random(0)) for one in teaching.spoken[:3]]
    batch = teaching.batch(lessons, 0.3, np.random.default_rng(0))
    for row, (lesson, one) in enumerate(zip(lessons, teaching.spoken, strict=False)):
        asked = batch.target[row][batch.target[row] >= 0]
        assert asked.tolist() == [*(one.codes[0] + 1).tolist(), 0]
        looked = batch.here[row, lesson.answer - 1 : lesson.columns.shape[1], slice(*lesson.text)]
        torch.testing.assert_close(looked.sum(1), torch.ones(len(looked)))
        assert (looked.argmax(1).diff() >= 0).all()
        assert (batch.ahead[row].argmax(1) >= batch.here[row].argmax(1)).all()


@pytest.mark.parametrize("referred", [False, True])
def test_lessons_of_every_kind_look_from_their_first_word_to_their_last(checkpoint: Checkpoint, referred: bool) -> None:
    teaching, kinds = speech(checkpoint, 4), set()
    for seed in range(60):
        lesson = teaching.lesson(teaching.spoken[seed % 8], referred, random.Random(seed))
        kinds.add(lesson.text[1] - lesson.text[0])
        batch = teaching.batch([lesson], 0.0, np.random.default_rng(0))
        looked = batch.here[0, lesson.answer - 1 : lesson.columns.shape[1]].argmax(1)
        assert (looked.diff() >= 0).all()
        assert looked[0] >= lesson.text[0] + len("<|speaker:0|>")
        assert looked[-1] == lesson.text[1] - 1
    assert kinds == {25, 51}  # bytes of a line of one part and of two


def test_a_model_that_remembers_itself_is_asked_for_the_same(checkpoint: Checkpoint) -> None:
    teaching, config = speech(checkpoint, 5), checkpoint.config
    lessons = [teaching.lesson(one, kind, random.Random(1)) for one in teaching.spoken for kind in (False, True)]
    batch = teaching.batch(lessons, 0.2, np.random.default_rng(0))
    own = remembering_itself(checkpoint.model, every_code(checkpoint), batch, torch.Generator().manual_seed(0))
    for name in ("target", "codes", "here", "ahead"):
        assert torch.equal(getattr(own, name), getattr(batch, name))
    told = torch.zeros_like(batch.target, dtype=torch.bool)
    told[:, 1:] = batch.target[:, :-1] > 0  # the positions that hold a frame of the answer
    changed = (own.columns != batch.columns).any(1)
    assert changed.any()
    assert not (changed & ~told).any()
    assert not (changed.any(1)).all()  # others still read true frames
    hidden = own.columns[:, 0] == config.end_id
    assert torch.equal(hidden, batch.columns[:, 0] == config.end_id)
    shown = told & ~hidden
    semantic = own.columns[:, 0] - config.semantic_start
    assert torch.equal(semantic[shown], own.columns[:, 1][shown])


def test_a_critic_learns_to_tell_noise_from_a_tone_and_says_in_which_direction() -> None:
    torch.manual_seed(0)
    critic, chance = Critic(), torch.Generator().manual_seed(0)
    moments = torch.arange(4096) / 22_050
    tones = torch.stack([(2 * torch.pi * pitch * moments).sin() for pitch in (220, 330, 440)]) * 0.3
    noise = 0.1 * torch.randn(3, 4096, generator=chance)
    optimizer = torch.optim.AdamW(critic.parameters(), 1e-2)
    losses_seen = []
    for _ in range(12):
        loss = verdicts(critic, noise, tones)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses_seen.append(loss.item())
    assert losses_seen[-1] < 0.5 * losses_seen[0]
    made = noise.clone().requires_grad_(True)
    worse = reproach(critic, made, tones)
    worse.backward()
    assert made.grad is not None
    assert all(parameter.grad is None or parameter.requires_grad for parameter in critic.parameters())
    better = reproach(critic, made.detach() - 0.3 * made.grad / made.grad.norm(), tones)
    assert better < worse


def test_a_voice_is_learned_from_as_often_as_the_root_of_its_recordings() -> None:
    letters, codes = np.zeros(1, np.float32), np.zeros((4, 9), np.int64)
    spoken = [Spoken(voice, "", codes, letters) for voice, count in (("heart", 16), ("joe", 4)) for _ in range(count)]
    assert shares(spoken)[15] == pytest.approx(4)
    assert shares(spoken)[19] == pytest.approx(6)


def test_a_course_goes_on_from_where_it_was_cut(tmp_path: Path, checkpoint: Checkpoint, start: Path) -> None:
    teaching, books = speech(checkpoint, 6), every_code(checkpoint)

    def run(path: Path, stops: tuple[int, ...]) -> list[float]:
        told = []
        for stop in stops:
            model = load(start, "cpu", "fp32").model.requires_grad_(True)
            gaze = Gaze(model, checkpoint.config.alignment_heads + LOOK_AHEAD)
            course = Course(path, model, 14, 3e-3, 0.0, 0.9)
            for step in course:
                source = endless(teaching, 4, 0.5, 0)  # the same lessons every time
                parts = losses(model, gaze, books, teaching.batch(next(source), 0.2, np.random.default_rng(step)))
                course.learn(parts["slow"] + parts["gaze"], **parts)
                told.append(parts["slow"].item())
                if course.step == stop:
                    course.save()
                    break
        return told

    whole_run, in_pieces = run(tmp_path / "a.pt", (14,)), run(tmp_path / "b.pt", (5, 9, 14))
    assert in_pieces == pytest.approx(whole_run, abs=1e-5)
    assert np.mean(whole_run[-3:]) < np.mean(whole_run[:3])


def test_a_right_code_shares_with_its_neighbours() -> None:
    rows = torch.zeros(40, 2)
    rows[8:24] = torch.randn(16, 2, generator=torch.Generator().manual_seed(0))
    book = near(rows)
    assert (book.start, book.stop) == (8, 24)
    assert (book.share.argmax(1) == torch.arange(16)).all()
    torch.testing.assert_close(book.share.sum(1), torch.ones(16))
    apart = torch.cdist(book.points, book.points)
    assert all((share[order].diff() <= 0).all() for share, order in zip(book.share, apart.argsort(1), strict=True))


def test_every_step_leads_to_a_checkpoint_that_speaks(
    folder: Path, start: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = json.loads((start / "codec_config.json").read_text(encoding="utf-8"))["quantizer"]["n_codebooks"]
    monkeypatch.setattr(fit_quantizer, "ACOUSTIC", tuple(range(SEMANTIC, SEMANTIC - rows, -1)))
    train_phonetic(folder, start, 3)
    fit(folder, start, SEMANTIC)
    encode_all(folder, "*")
    encoded = list(read_codes(folder / "codes"))
    assert [one.text for one in encoded[:2]] == ["Word 000", "Word 001"]
    codec = load_codec(folder / "codec", "cpu")
    again = codec.encode(torch.from_numpy(recording("heart", 1, 7556).wave))
    np.testing.assert_array_equal(encoded[1].codes, again.numpy())
    before = (folder / "codec" / "codec.safetensors").read_bytes()
    train_decoder([str(folder), "--steps", "3", "--critic", "1"])
    assert {path.name for path in folder.glob("*.pt")} >= {"decoder.pt", "critic.pt"}
    assert (folder / "codec" / "codec.safetensors").read_bytes() != before
    assert torch.isfinite(load_codec(folder / "codec", "cpu").decode(again)).all()
    uses = [set(row) for row in np.concatenate([one.codes for one in encoded], axis=1)]
    assert not any(one & other for one, other in combinations(uses, 2))  # one table holds them all


def test_what_the_model_tells_anew_has_its_own_rows(folder: Path, checkpoint: Checkpoint) -> None:
    model, books = checkpoint.model, every_code(checkpoint)
    spoken = [replace(one, text="Speak now") for one in speech(checkpoint, 3).spoken]
    told = Resaying(model, checkpoint.tokenizer, books).resaid(spoken)
    for one, other in zip(spoken, told, strict=True):
        assert other.codes.shape == one.codes.shape
        np.testing.assert_array_equal(other.codes[0], one.codes[0])
        assert (other.codes[1:] != one.codes[1:]).any()


def test_a_folder_goes_on_from_a_checkpoint(tmp_path: Path, start: Path, checkpoint: Checkpoint) -> None:
    begun = tmp_path / "begun"
    shutil.copytree(start, begun)
    (begun / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    go_on(tmp_path, begun)
    model = load(start, "cpu", "fp32").model.requires_grad_(True)
    with torch.no_grad():
        model.slow.embeddings.weight.zero_()
    course = Course(tmp_path / "model.pt", model, 5, 1e-3, 0.0, 0.9)
    assert course.step == 0
    theirs = dict(checkpoint.model.named_parameters())
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter, theirs[name])
    assert load_codec(tmp_path / "codec", "cpu").codebooks == checkpoint.config.num_codebooks
    assert read_config(tmp_path / "model") == checkpoint.config


def test_what_is_saved_opens_again(tmp_path: Path, start: Path, checkpoint: Checkpoint, codec: Codec) -> None:
    out = write_tiny(tmp_path, seed=1, text=SHAPE)
    save_model(checkpoint.model, dict(checkpoint.model.named_parameters()), out)
    save_codec(codec, out)
    opened = load(out, "cpu", "fp32").model
    theirs = dict(checkpoint.model.named_parameters())
    for name, parameter in opened.named_parameters():
        torch.testing.assert_close(parameter, theirs[name].detach().bfloat16().float())
    for name, tensor in load_codec(out, "cpu").state_dict().items():
        torch.testing.assert_close(tensor, codec.state_dict()[name].half().float())


def test_the_tokenizer_reads_the_prompts_phrases_and_tags_as_one(tmp_path: Path, start: Path) -> None:
    texts = ["The boat is late.", "The other boat is late, too."] * 20
    build(tmp_path, texts, ["[long pause]"], SEMANTIC)
    vocabulary = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    end = next(token["id"] for token in vocabulary["added_tokens"] if token["content"] == "<|im_end|>")
    tokenizer = Tokenizer(tmp_path, replace(load(start, "cpu", "fp32").config, end_id=end))
    assert len(tokenizer.encode("convert the provided text to speech")) == 1
    assert tokenizer.encode("THE BOAT") == tokenizer.encode("the boat")
    text = "<|speaker:1|>Boat [Long Pause] late"
    read = [text[start:stop] for start, stop in tokenizer.offsets(text)]
    assert "<|speaker:1|>" in read
    assert "[Long Pause]" in read
    assert len(tokenizer.encode("<|im_end|>")) > 1
